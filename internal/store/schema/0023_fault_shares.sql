-- +goose Up
-- Links under which everybody can read a fault. They belong to the id of the fault, not to its row: while a fault is merged
-- into another its link shows nothing, and it works again once the fault is split off.
CREATE TABLE fault_shares (
    fault_id   {{key}},
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    hash       bytea NOT NULL UNIQUE, -- SHA-256 of the link's token
    made_by    bigint NOT NULL,
    created_at bigint NOT NULL
);
CREATE INDEX fault_shares_by_project ON fault_shares (project_id);
