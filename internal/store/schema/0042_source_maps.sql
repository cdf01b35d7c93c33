-- +goose Up
-- Files of source maps, each once per project. Others never share one: that would say who has it.
CREATE TABLE source_files (
    id         {{identity}},
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    hash       bytea NOT NULL,  -- SHA-256 of the file
    bytes      bigint NOT NULL, -- of the file
    stored     bigint NOT NULL, -- of body
    body       bytea NOT NULL   -- the file, compressed
);
CREATE UNIQUE INDEX source_files_by_hash ON source_files (project_id, hash);

CREATE TABLE source_maps (
    id         {{identity}},
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    debug_id   text NOT NULL,    -- '': none
    revision   text NOT NULL,    -- '': found by the debug id alone
    url        text NOT NULL,    -- of the minified file, or a pattern; see package sourcemap
    wild       boolean NOT NULL, -- the URL has wildcards
    file_id    bigint NOT NULL REFERENCES source_files,
    sources    bigint NOT NULL,  -- original files that the map names
    contained  bigint NOT NULL,  -- those that it contains
    created_at bigint NOT NULL,
    used_at    bigint NOT NULL   -- to the day; at first that of the upload
);
CREATE UNIQUE INDEX source_maps_by_url ON source_maps (project_id, revision, url, debug_id);
CREATE INDEX source_maps_by_debug_id ON source_maps (project_id, debug_id) WHERE debug_id <> '';
CREATE INDEX source_maps_wild ON source_maps (project_id, revision) WHERE wild;
CREATE INDEX source_maps_by_use ON source_maps (project_id, used_at);
CREATE INDEX source_maps_by_file ON source_maps (file_id);

-- Original files that were uploaded with a map.
CREATE TABLE source_map_files (
    map_id  bigint NOT NULL REFERENCES source_maps ON DELETE CASCADE,
    url     text NOT NULL,
    file_id bigint NOT NULL REFERENCES source_files,
    PRIMARY KEY (map_id, url)
) {{clustered}};
CREATE INDEX source_map_files_by_file ON source_map_files (file_id);

-- How much the source maps of a project take, with the rows of the tables above.
CREATE TABLE source_map_totals (
    project_id {{key}} REFERENCES projects ON DELETE CASCADE,
    maps       bigint NOT NULL,
    bytes      bigint NOT NULL
);
{{source files are compressed}}
