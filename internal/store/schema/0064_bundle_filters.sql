-- +goose Up
-- Which facets a bundle may contain, so that a search for a value that few notices have opens few bundles. See store/block.
CREATE TABLE bundle_filters (
    project_id bigint NOT NULL,
    bundle_id  bigint NOT NULL,
    body       bytea NOT NULL,
    PRIMARY KEY (project_id, bundle_id)
) {{clustered}};
{{filters of bundles are compressed}}
