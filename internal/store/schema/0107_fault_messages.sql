-- +goose Up
-- What the events of an error say, where it is more than the error itself says: the classes and messages of events as soon as they differ, and of what led to
-- them. They belong to a part of a fault, as its notices do.
CREATE TABLE fault_messages (
    project_id  bigint NOT NULL,
    part_id     bigint NOT NULL,  -- in faults or merged_faults
    cause       boolean NOT NULL, -- it led to the error
    key         bytea NOT NULL,   -- faults.Said.Key; zeros for all that there is no room for
    class       text NOT NULL,
    message     text NOT NULL,    -- cut to faults.LongestSaid
    count       bigint NOT NULL,  -- events that say it, as far as they are counted
    first_id    bigint NOT NULL,  -- of these events
    last_id     bigint NOT NULL,
    PRIMARY KEY (project_id, part_id, cause, key)
);
