-- +goose Up
-- Sites as people have set them. What checks move is in site_states.
CREATE TABLE sites (
    id               {{identity}},
    uuid             bytea NOT NULL UNIQUE,
    project_id       bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    active           boolean NOT NULL,
    frequency        bigint NOT NULL, -- minutes
    timeout          bigint NOT NULL, -- seconds
    outage_threshold bigint NOT NULL, -- 0: half of the locations decide
    locations        text NOT NULL,   -- joined by commas; '' : all
    revision         bigint NOT NULL, -- sett.Site.Revision
    target_revision  bigint NOT NULL, -- sett.Site.TargetRevision
    asked_at         bigint NOT NULL, -- 0: never
    asked_by         text NOT NULL,   -- a location; '' : none
    created_at       bigint NOT NULL,
    updated_at       bigint NOT NULL,
    name             text NOT NULL,
    url              text NOT NULL,
    match_type       text NOT NULL,
    match_value      text NOT NULL,
    request_method   text NOT NULL,
    validate_ssl     boolean NOT NULL,
    request_headers  text NOT NULL,   -- JSON
    request_body     text NOT NULL
);
CREATE INDEX sites_by_project ON sites (project_id, id);
CREATE INDEX sites_by_revision ON sites (revision);

-- What every check of a site moves: narrow, so that a batch of checks touches few pages. Locked before its site.
CREATE TABLE site_states (
    site_id          bigint PRIMARY KEY REFERENCES sites ON DELETE CASCADE,
    state            text NOT NULL,   -- sett.SiteState
    changed_at       bigint NOT NULL, -- 0: never
    last_checked_at  bigint NOT NULL, -- 0: never
    failures         bigint NOT NULL, -- in a row, over all locations; sett.Streak
    failing_since    bigint NOT NULL,
    cert_fingerprint text NOT NULL,   -- of the certificate seen last; '' : none
    cert_not_after   bigint NOT NULL,
    cert_warned      bigint NOT NULL  -- the threshold that it passed last, in days; 0: none
) {{clustered}};

-- What each location last found of a site. Here and below a location is its number in sett.Locations, from 1.
CREATE TABLE verdicts (
    site_id       bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
    location      smallint NOT NULL,
    up            boolean NOT NULL,
    at            bigint NOT NULL, -- when the check ended
    failing_since bigint NOT NULL, -- 0: up
    failures      bigint NOT NULL, -- in a row
    status        bigint NOT NULL,
    reason        text NOT NULL,
    PRIMARY KEY (site_id, location)
) {{clustered}};

-- Every check, for some weeks. Rows refer to no site, so that adding one looks nothing up: what is left of a site that
-- is gone is swept by its grave. Types are narrow where that saves bytes.
CREATE TABLE uptime_checks (
    site_id  integer NOT NULL,
    location smallint NOT NULL,
    status   smallint NOT NULL, -- 0: no response
    at       bigint NOT NULL,   -- when it began
    duration integer NOT NULL,  -- microseconds
    up       boolean NOT NULL,
    reason   text NOT NULL,     -- '' : up
    PRIMARY KEY (site_id, at, location)
) {{clustered}};

-- What is kept of them for good, by UTC day.
CREATE TABLE uptime_days (
    site_id   bigint NOT NULL,
    day       bigint NOT NULL,   -- microseconds of its midnight
    location  smallint NOT NULL,
    checks    bigint NOT NULL,
    failed    bigint NOT NULL,
    total     bigint NOT NULL,   -- microseconds, of the checks that did not fail
    latencies bytea NOT NULL,    -- sett.Latencies.Encode
    PRIMARY KEY (site_id, day, location)
) {{clustered}};

-- How far uptime_days have come: they hold every day before this one, and this one of the sites up to site_id. One row.
CREATE TABLE uptime_progress (
    day     bigint NOT NULL,
    site_id bigint NOT NULL
);
INSERT INTO uptime_progress (day, site_id) VALUES (0, 0);

CREATE TABLE outages (
    id         {{identity}},
    site_id    bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
    down_at    bigint NOT NULL,
    up_at      bigint NOT NULL, -- 0: it lasts
    created_at bigint NOT NULL,
    status     bigint NOT NULL, -- 0: no response
    reason     text NOT NULL,
    headers    text NOT NULL,   -- JSON object, or null
    location   text NOT NULL,
    phase      text NOT NULL,   -- sett.ProbePhase
    body       bytea NOT NULL   -- the beginning of the page
);
CREATE INDEX outages_by_site ON outages (site_id, created_at, id);
CREATE UNIQUE INDEX outages_open ON outages (site_id) WHERE up_at = 0;

-- Ends of certificates that people were warned of.
CREATE TABLE cert_warnings (
    site_id     bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
    fingerprint text NOT NULL,
    threshold   bigint NOT NULL, -- days
    at          bigint NOT NULL,
    PRIMARY KEY (site_id, fingerprint, threshold)
) {{clustered}};

-- Sites that are gone, so that locations hear of it, until their checks are swept and everybody should have heard.
CREATE TABLE site_graves (
    revision bigint PRIMARY KEY,
    uuid     bytea NOT NULL,
    site_id  bigint NOT NULL,
    at       bigint NOT NULL,  -- when SweepSites first met it; 0: not yet
    swept    boolean NOT NULL -- no check of it is left
) {{clustered}};

-- The newest revision of all, and that of the newest deleted tombstone. One row; a transaction that takes a revision locks it
-- until it commits, so that revisions become visible in their order.
CREATE TABLE site_feed (
    revision  bigint NOT NULL,
    forgotten bigint NOT NULL
);
INSERT INTO site_feed (revision, forgotten) VALUES (0, 0);

-- What only one process does at a time.
CREATE TABLE leases (
    name       text PRIMARY KEY,
    holder     text NOT NULL,
    held_since bigint NOT NULL, -- without a break
    held_until bigint NOT NULL
);
