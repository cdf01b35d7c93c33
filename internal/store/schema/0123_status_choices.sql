-- +goose Up
-- Which components of a page a subscriber chose; all, unless selective.
ALTER TABLE status_subscribers ADD COLUMN selective boolean NOT NULL DEFAULT false;
CREATE TABLE status_subscriber_components (
    subscriber_id bigint NOT NULL REFERENCES status_subscribers ON DELETE CASCADE,
    component_id  bigint NOT NULL REFERENCES status_components ON DELETE CASCADE,
    PRIMARY KEY (subscriber_id, component_id)
) {{clustered}};
CREATE INDEX status_subscriber_components_by_component ON status_subscriber_components (component_id);

-- All components that an incident has ever been about, so that those who were sent its beginning are sent its end.
CREATE TABLE status_incident_audience (
    incident_id  bigint NOT NULL REFERENCES status_incidents ON DELETE CASCADE,
    component_id bigint NOT NULL REFERENCES status_components ON DELETE CASCADE,
    PRIMARY KEY (incident_id, component_id)
) {{clustered}};
CREATE INDEX status_incident_audience_by_component ON status_incident_audience (component_id);
INSERT INTO status_incident_audience (incident_id, component_id)
SELECT i.incident_id, i.component_id FROM status_incident_components i JOIN status_components c ON c.id = i.component_id;
