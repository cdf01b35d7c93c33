-- +goose Up
-- Deleted faults, until nothing of them is left. First the fault itself has to be deleted, then everything that is counted under
-- its id. They outlive their project: nothing else records what is left to delete.
CREATE TABLE fault_graves (
    fault_id   {{key}},
    project_id bigint NOT NULL,
    taken      boolean NOT NULL, -- the fault itself is gone
    first_at   bigint NOT NULL,  -- when it was made and had its last notice; 0 before it is taken
    last_at    bigint NOT NULL
);
CREATE INDEX fault_graves_open ON fault_graves (project_id, fault_id) WHERE NOT taken;
