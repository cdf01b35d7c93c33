-- +goose Up
-- The facets of the notices of a bundle, which searches read; see store/block. A row goes when its notices are in a block.
CREATE TABLE bundle_facets (
    bundle_id  {{key}},
    project_id bigint NOT NULL,
    last_id    bigint NOT NULL, -- of its last notice
    count      bigint NOT NULL, -- notices that are not deleted
    slots      bigint NOT NULL, -- theirs, as bits
    members    bytea NOT NULL,  -- the slot, id and fault of each notice
    facets     bytea NOT NULL
);
CREATE INDEX bundle_facets_of_project ON bundle_facets (project_id, bundle_id, last_id, count);

-- Some two thousand notices of a project each: payloads, and facets by key.
CREATE TABLE blocks (
    id         {{key}},         -- of its first notice
    project_id bigint NOT NULL,
    last_id    bigint NOT NULL, -- of its last notice
    count      bigint NOT NULL, -- notices, also those that are deleted
    bytes      bigint NOT NULL, -- that it takes, with the tables below
    rewrites   boolean NOT NULL, -- it has deleted notices, which are to be removed
    gone       bytea NOT NULL,  -- the rows of deleted notices, as bits; nothing: none
    notices    bytea NOT NULL   -- the ids and faults of its notices
);
CREATE INDEX blocks_of_project ON blocks (project_id, id, last_id);
CREATE INDEX blocks_to_rewrite ON blocks (id) WHERE rewrites;

-- What a block may contain. Here, and not beside the facets, because a search for a value that few notices have reads little else.
CREATE TABLE block_filters (
    project_id bigint NOT NULL,
    number     bigint NOT NULL, -- by the hash of keys
    block_id   bigint NOT NULL,
    body       bytea NOT NULL,
    PRIMARY KEY (project_id, number, block_id)
) {{clustered}};

CREATE TABLE block_parts (
    block_id bigint NOT NULL,
    number   bigint NOT NULL, -- by the hash of keys
    body     bytea NOT NULL,
    PRIMARY KEY (block_id, number)
);

CREATE TABLE block_payloads (
    block_id bigint NOT NULL,
    number   bigint NOT NULL, -- of the frame: rows 0 to 127, 128 to 255 and so on
    body     bytea NOT NULL,
    PRIMARY KEY (block_id, number)
);
{{blocks are compressed}}

-- How far the notices of earlier versions, which have their facets beside them, were moved to bundles of one project with facets of their
-- own. It has one row, with the id 0, until all are.
CREATE TABLE old_notices (
    id   {{key}},
    upto bigint NOT NULL, -- the last notice that was moved
    last bigint NOT NULL  -- the last notice of an earlier version
);
INSERT INTO old_notices (id, upto, last) SELECT 0, 0, max(n.id) FROM notices n HAVING count(n.id) > 0;
