-- +goose Up
-- Which days uptime_days has of a site, so that status pages need not read them: the bits of a stretch of 60 days, the
-- first of which is the lowest. Its number counts such stretches from 1970.
CREATE TABLE checked_days (
    site_id bigint NOT NULL,
    stretch bigint NOT NULL,
    days    bigint NOT NULL,
    PRIMARY KEY (site_id, stretch)
) {{clustered}};
INSERT INTO checked_days (site_id, stretch, days)
SELECT d.site_id, d.day / 5184000000000, CAST(sum(CAST(1 AS bigint) << CAST(d.day % 5184000000000 / 86400000000 AS integer)) AS bigint)
FROM (SELECT DISTINCT site_id, day FROM uptime_days) AS d GROUP BY d.site_id, d.day / 5184000000000;

-- With what a turn says, so that the days of a check-in are drawn from the index alone.
DROP INDEX check_in_turns_by_check_in;
CREATE INDEX check_in_turns_by_check_in ON check_in_turns (check_in, id, at, state);

-- The newest revision of a status page, and the one with which a page was last deleted. One row; a transaction that takes a
-- revision locks it until it commits, so that revisions become visible in their order.
CREATE TABLE status_feed (
    revision bigint NOT NULL,
    removed  bigint NOT NULL
);
INSERT INTO status_feed (revision, removed) SELECT coalesce(max(revision), 0) + 1, 0 FROM status_pages;
UPDATE status_pages SET revision = (SELECT revision FROM status_feed);
CREATE INDEX status_pages_by_revision ON status_pages (revision);

-- What an incident was about stays known by its name once its page no longer shows it.
CREATE TABLE status_incident_parts (
    incident_id  bigint NOT NULL REFERENCES status_incidents ON DELETE CASCADE,
    component_id bigint NOT NULL, -- of status_components, while there is one
    name         text NOT NULL,   -- as the page called it when the incident was last written
    PRIMARY KEY (incident_id, component_id)
) {{clustered}};
INSERT INTO status_incident_parts (incident_id, component_id, name)
SELECT i.incident_id, i.component_id, coalesce(nullif(c.display_name, ''), s.name, nullif(ci.name, ''), nullif(ci.slug, ''), '')
FROM status_incident_components i JOIN status_components c ON c.id = i.component_id
LEFT JOIN sites s ON s.id = c.site_id LEFT JOIN check_ins ci ON ci.number = c.check_in;
DROP TABLE status_incident_components;
ALTER TABLE status_incident_parts RENAME TO status_incident_components;
