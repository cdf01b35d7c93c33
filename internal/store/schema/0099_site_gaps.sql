-- +goose Up
-- When no location checked a site: after its last check had grown old, or in a pause. Such a time is neither up nor down.
CREATE TABLE site_gaps (
    site_id bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
    from_at bigint NOT NULL,
    to_at   bigint NOT NULL, -- when the next check began; 0: a pause that lasts
    PRIMARY KEY (site_id, from_at)
) {{clustered}};
CREATE INDEX site_gaps_open ON site_gaps (site_id) WHERE to_at = 0;
