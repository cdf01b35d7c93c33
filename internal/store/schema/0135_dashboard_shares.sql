-- +goose Up
-- Links under which everybody can see a dashboard; at most one each.
CREATE TABLE dashboard_shares (
    dashboard_id text PRIMARY KEY REFERENCES dashboards (id) ON DELETE CASCADE,
    project_id   bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    hash         bytea NOT NULL UNIQUE, -- SHA-256 of the link's token
    made_by      bigint NOT NULL,
    created_at   bigint NOT NULL
);
CREATE INDEX dashboard_shares_by_project ON dashboard_shares (project_id);
