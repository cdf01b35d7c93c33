-- +goose Up
-- Pages of widgets, which all who see the project can open.
CREATE TABLE dashboards (
    number     {{identity}},         -- the order in which they were made
    id         text NOT NULL UNIQUE, -- of the API
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    title      text NOT NULL,
    default_ts text NOT NULL, -- the time that it shows first; '' : the usual one
    widgets    text NOT NULL, -- JSON of []dashboard.Widget
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE INDEX dashboards_by_project ON dashboards (project_id, number);
