-- +goose Up
-- Blocks may have their payloads and facets in object storage: they have a row of block_objects instead of rows of block_payloads and block_parts.
-- See store/block.
ALTER TABLE blocks ADD COLUMN remote boolean NOT NULL DEFAULT false;
CREATE INDEX blocks_in_database ON blocks (id, last_id, bytes, remote) WHERE NOT remote; -- summed up without a look at the blocks

CREATE TABLE block_objects (
    block_id   {{key}},
    project_id bigint NOT NULL,
    object     text NOT NULL,   -- its key in the bucket, without the prefix
    bytes      bigint NOT NULL, -- of the object
    pieces     bytea NOT NULL,  -- what it contains where, with checksums
    users      bytea NOT NULL   -- the affected user of each notice, so that notices are deleted without the object
);

CREATE INDEX block_objects_bytes ON block_objects (bytes); -- summed up

-- Objects that are to be deleted: those of blocks that are gone, and those whose upload was begun and is not known to be complete.
CREATE TABLE dead_objects (
    object   text PRIMARY KEY,
    of_project bigint NOT NULL, -- which may be deleted
    added_at bigint NOT NULL,   -- 0: it belongs to no block any more
    due_at   bigint NOT NULL,
    tries    bigint NOT NULL
);
CREATE INDEX dead_objects_due ON dead_objects (due_at);
CREATE INDEX dead_objects_of_project ON dead_objects (of_project, added_at);

-- One row, once blocks were moved: the first part of the keys of all objects, which no other database has, and until when no object may be
-- deleted because a backup reads them.
CREATE TABLE object_keys (
    id         {{key}},
    first_part text NOT NULL,
    held_until bigint NOT NULL
);
