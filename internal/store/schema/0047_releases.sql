-- +goose Up
-- Releases of projects: versions that events, deploys or sessions named, or that a client created. A version is the revision of notices
-- and deploys.
CREATE TABLE releases (
    id            {{identity}},
    project_id    bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    version       text NOT NULL,
    created_at    bigint NOT NULL, -- when it was first named; microseconds, as all times
    active_at     bigint NOT NULL, -- when it was last named
    released_at   bigint NOT NULL, -- 0: no client said so
    ref           text NOT NULL,
    url           text NOT NULL,
    first_seen_at bigint NOT NULL, -- time of the first event; 0: there was none
    last_seen_at  bigint NOT NULL, -- time of the last event
    events        bigint NOT NULL  -- that were stored
);
CREATE UNIQUE INDEX releases_by_version ON releases (project_id, version);
CREATE INDEX releases_by_age ON releases (project_id, created_at, id);

CREATE TABLE release_commits (
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    version    text NOT NULL,
    position   bigint NOT NULL, -- 0: the newest
    sha        text NOT NULL,
    message    text NOT NULL,
    author     text NOT NULL,
    email      text NOT NULL,
    at         bigint NOT NULL, -- 0: unknown
    PRIMARY KEY (project_id, version, position)
) {{clustered}};

-- What happened to faults in a release.
CREATE TABLE release_faults (
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    version    text NOT NULL,
    event      text NOT NULL, -- release.Event
    fault_id   bigint NOT NULL,
    at         bigint NOT NULL, -- the first time
    PRIMARY KEY (project_id, version, event, fault_id)
) {{clustered}};
CREATE INDEX release_faults_by_age ON release_faults (project_id, at);
CREATE INDEX release_faults_of_fault ON release_faults (fault_id);

-- Sums of sessions by the hour in which they began.
CREATE TABLE release_hours (
    project_id  bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    version     text NOT NULL,
    environment text NOT NULL,
    at          bigint NOT NULL,
    total       bigint NOT NULL,
    errored     bigint NOT NULL,
    crashed     bigint NOT NULL,
    abnormal    bigint NOT NULL,
    PRIMARY KEY (project_id, version, environment, at)
) {{clustered}};
CREATE INDEX release_hours_by_age ON release_hours (project_id, at);

CREATE INDEX deploys_by_revision ON deploys (project_id, revision, created_at, id);

INSERT INTO releases (project_id, version, created_at, active_at, released_at, ref, url, first_seen_at, last_seen_at, events)
SELECT project_id, revision, min(created_at), max(created_at), 0, '', '', 0, 0, 0 FROM deploys
WHERE revision NOT IN ('', '.', '..') GROUP BY project_id, revision;

-- Events are counted by release from here on: those before do not say theirs where counts are made.
INSERT INTO digests (node, id, upto) SELECT node, 700, max(upto) FROM digests GROUP BY node;
