-- +goose Up
-- States of components that people set, instead of that of their checks, and until when. The newest of a component is the one that
-- holds; those before it are kept for the days of the page.
CREATE TABLE status_states (
    id           {{identity}},
    component_id bigint NOT NULL REFERENCES status_components ON DELETE CASCADE,
    state        text NOT NULL, -- status.ComponentState
    note         text NOT NULL, -- for visitors; '' : none
    covers       boolean NOT NULL, -- it is shown also while checks fail
    from_at      bigint NOT NULL,
    to_at        bigint NOT NULL -- 0: until people end it
);
CREATE INDEX status_states_by_component ON status_states (component_id, from_at);

-- How bad an incident is ('' : as its components say), and how each of its components does meanwhile (status.ComponentState).
ALTER TABLE status_incidents ADD COLUMN impact text NOT NULL DEFAULT '';
ALTER TABLE status_incident_components ADD COLUMN state text NOT NULL DEFAULT 'degraded';
