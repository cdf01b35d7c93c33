-- +goose Up
-- The keys by which an error is known: the one that it was created with, and those of events that continue it. A key belongs to the part of a fault that its
-- notices count under: the fault itself, or one that was merged into it.
CREATE TABLE fault_keys (
    project_id  bigint NOT NULL,
    key         bytea NOT NULL,  -- faults.Grouping.Key
    near        bytea NOT NULL,  -- faults.Grouping.Near; before rule 2, the key
    part_id     bigint NOT NULL, -- in faults or merged_faults
    fault_id    bigint NOT NULL REFERENCES faults ON DELETE CASCADE, -- of which that is a part
    inputs      text NOT NULL,   -- JSON of faults.Grouping; '' for that of the part
    why         text NOT NULL,   -- faults.Why; '' for the key that the part was created with
    revision    text NOT NULL,   -- the last in which it occurred, as far as revised_at
    revised_at  bigint NOT NULL,
    created_at  bigint NOT NULL,
    PRIMARY KEY (project_id, key)
);
CREATE INDEX fault_keys_near ON fault_keys (project_id, near, created_at);
CREATE INDEX fault_keys_by_part ON fault_keys (part_id);
CREATE INDEX fault_keys_by_fault ON fault_keys (fault_id);
INSERT INTO fault_keys SELECT project_id, key, key, id, id, '', '', '', 0, created_at FROM faults;
INSERT INTO fault_keys SELECT project_id, key, key, id, into_id, '', '', '', 0, created_at FROM merged_faults;
