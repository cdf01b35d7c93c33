-- +goose Up
-- How many notices of each fault of a block have a frequent facet, so that a search counts them without opening the block. See store/block.
CREATE TABLE block_tallies (
    project_id bigint NOT NULL,
    number     bigint NOT NULL, -- that of the filter which knows of the facets; the last is that of all notices
    block_id   bigint NOT NULL,
    body       bytea NOT NULL,
    PRIMARY KEY (project_id, number, block_id)
) {{clustered}};
CREATE INDEX blocks_to_rewrite_of_project ON blocks (project_id, id) WHERE rewrites;
