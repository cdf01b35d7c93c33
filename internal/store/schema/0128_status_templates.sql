-- +goose Up
-- Templates of incidents and their updates, of a status page.
CREATE TABLE status_templates (
    id      {{identity}},
    page    bigint NOT NULL REFERENCES status_pages ON DELETE CASCADE,
    name    text NOT NULL,
    title   text NOT NULL, -- of the incident; '' : none
    status  text NOT NULL, -- status.IncidentStatus
    message text NOT NULL,
    impact  text NOT NULL, -- status.Impact
    states  text NOT NULL -- JSON: the states of affected components by their ids
);
CREATE INDEX status_templates_by_page ON status_templates (page, id);
