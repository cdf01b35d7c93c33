-- One text for both engines; {{…}} is filled in by dialect.go. Times are microseconds since 1970 UTC unless a column
-- says otherwise; every table that grows with traffic is ordered so that what is written together lies together.

-- +goose Up
CREATE TABLE accounts (
    id         text PRIMARY KEY,
    name       text NOT NULL,
    email      text NOT NULL,
    active     boolean NOT NULL,
    parked     boolean NOT NULL,
    created_at bigint NOT NULL
);

CREATE TABLE users (
    id         {{identity}},
    email      text NOT NULL UNIQUE, -- lower case
    name       text NOT NULL,
    password   text NOT NULL,        -- '' : cannot sign in with one
    created_at bigint NOT NULL
);

CREATE TABLE memberships (
    account_id text NOT NULL REFERENCES accounts ON DELETE CASCADE,
    user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    role       text NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (user_id, account_id)
);
CREATE INDEX memberships_by_account ON memberships (account_id, user_id);

CREATE TABLE tokens (
    id         {{identity}},
    hash       bytea NOT NULL UNIQUE, -- SHA-256 of the token
    user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    name       text NOT NULL,
    created_at bigint NOT NULL
);

CREATE TABLE teams (
    id         {{identity}},
    account_id text NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name       text NOT NULL,
    owner_id   bigint,
    created_at bigint NOT NULL
);
CREATE INDEX teams_by_account ON teams (account_id, id);

CREATE TABLE team_members (
    id         {{identity}},
    team_id    bigint NOT NULL REFERENCES teams ON DELETE CASCADE,
    user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    admin      boolean NOT NULL,
    created_at bigint NOT NULL,
    UNIQUE (user_id, team_id)
);
CREATE INDEX team_members_by_team ON team_members (team_id, id);

CREATE TABLE projects (
    id                       {{identity}},
    account_id               text NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name                     text NOT NULL,
    active                   boolean NOT NULL,
    language                 text NOT NULL,
    resolve_errors_on_deploy boolean NOT NULL,
    disable_public_links     boolean NOT NULL,
    user_url                 text NOT NULL,
    source_url               text NOT NULL,
    purge_days               bigint NOT NULL,
    user_search_field        text NOT NULL,
    owner_id                 bigint,
    created_at               bigint NOT NULL,
    earliest_notice_at       bigint
);
CREATE INDEX projects_by_account ON projects (account_id, id);

CREATE TABLE team_projects (
    team_id    bigint NOT NULL REFERENCES teams ON DELETE CASCADE,
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    PRIMARY KEY (team_id, project_id)
);
CREATE INDEX team_projects_by_project ON team_projects (project_id, team_id);

CREATE TABLE project_keys (
    key        text PRIMARY KEY,
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    created_at bigint NOT NULL
);
CREATE INDEX project_keys_by_project ON project_keys (project_id);

CREATE TABLE environments (
    id            {{identity}},
    project_id    bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    name          text NOT NULL,
    notifications boolean NOT NULL,
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL,
    UNIQUE (project_id, name)
);

CREATE TABLE integrations (
    id                    {{identity}},
    project_id            bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    type                  text NOT NULL,
    active                boolean NOT NULL,
    events                text NOT NULL, -- JSON
    site_ids              text NOT NULL, -- JSON
    options               text NOT NULL, -- JSON
    excluded_environments text NOT NULL, -- JSON
    filters               text NOT NULL, -- JSON
    created_at            bigint NOT NULL
);
CREATE INDEX integrations_by_project ON integrations (project_id, id);

CREATE TABLE deploys (
    id             {{identity}},
    project_id     bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    environment    text NOT NULL,
    revision       text NOT NULL,
    repository     text NOT NULL,
    local_username text NOT NULL,
    created_at     bigint NOT NULL
);
CREATE INDEX deploys_by_project ON deploys (project_id, created_at, id);

-- What a fault is, and what people did to it: changes seldom.
CREATE TABLE faults (
    id                {{identity}},
    project_id        bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    key               bytea NOT NULL, -- sett.Grouping.Key
    environment       text NOT NULL,
    class             text NOT NULL,
    component         text NOT NULL,
    action            text NOT NULL,
    message           text NOT NULL,
    tags              text NOT NULL,  -- sett.JoinLines
    grouping_inputs   text NOT NULL,  -- JSON of sett.Grouping
    created_at        bigint NOT NULL,
    resolved          boolean NOT NULL,
    ignored           boolean NOT NULL,
    resolve_on_deploy boolean NOT NULL,
    assignee_id       bigint,
    paused_until      bigint NOT NULL, -- 0: not
    paused_count      bigint NOT NULL, -- 0: not; else silent while notices_count is below
    comments_count    bigint NOT NULL,
    UNIQUE (project_id, key)
);
CREATE INDEX faults_by_creation ON faults (project_id, created_at, id);
CREATE INDEX faults_open ON faults (project_id, ignored) WHERE NOT resolved; -- to count them

-- What every notice of a fault moves: narrow, so that a batch of notices touches few pages.
CREATE TABLE fault_counts (
    fault_id       {{key}},
    project_id     bigint NOT NULL,
    notices_count  bigint NOT NULL,
    last_notice_at bigint NOT NULL
);
CREATE INDEX fault_counts_recent ON fault_counts (project_id, last_notice_at, fault_id);
CREATE INDEX fault_counts_frequent ON fault_counts (project_id, notices_count, fault_id);

CREATE TABLE fault_links (
    fault_id       bigint NOT NULL REFERENCES faults ON DELETE CASCADE,
    integration_id bigint NOT NULL REFERENCES integrations ON DELETE CASCADE,
    data           text NOT NULL, -- JSON object; its fields depend on the kind of integration
    created_at     bigint NOT NULL,
    updated_at     bigint NOT NULL,
    PRIMARY KEY (fault_id, integration_id)
);

-- Notices are only ever appended (sett.NoticeID grows with time) and dropped by age.
CREATE TABLE notices (
    id           {{key}},
    fault_id     bigint NOT NULL,
    backtrace_id bigint NOT NULL, -- 0: none, or kept inside the payload
    token        bytea,           -- the client's own id of it; see notice_tokens
    bundle_id    bigint NOT NULL, -- which holds its payload
    slot         bigint NOT NULL, -- where there
    facets       text NOT NULL    -- what searches look at; sett.Report.Facets
);

-- The payloads of a few notices that came together; see bundle.go.
CREATE TABLE bundles (
    id    {{key}},         -- of the first notice in it
    slots bigint NOT NULL, -- those that are used, as bits
    body  bytea NOT NULL
);
{{bundles are compressed}}

-- The notices of each fault. A table and not an index of notices, so that it can follow them (digest.go): with an index
-- nearly every notice of a busy batch would change a page of its own.
CREATE TABLE fault_notices (
    fault_id bigint NOT NULL,
    id       bigint NOT NULL,
    PRIMARY KEY (fault_id, id)
) {{clustered}};

CREATE TABLE notice_tokens (
    token      bytea NOT NULL,
    project_id bigint NOT NULL,
    notice_id  bigint NOT NULL,
    PRIMARY KEY (token, project_id)
) {{clustered}};

-- Each distinct backtrace of a project once.
CREATE TABLE backtraces (
    id         {{identity}},
    project_id bigint NOT NULL,
    hash       bytea NOT NULL, -- first 16 bytes of SHA-256
    seen_on    bigint NOT NULL, -- the last day that a notice used it, so that it can be dropped after them
    body       bytea NOT NULL,
    UNIQUE (project_id, hash)
);

-- Counts by time. width is in seconds (60, 3600, 86400), at in seconds since 1970, a multiple of width.
CREATE TABLE fault_buckets (
    width    bigint NOT NULL,
    at       bigint NOT NULL,
    fault_id bigint NOT NULL,
    count    bigint NOT NULL,
    PRIMARY KEY (width, at, fault_id)
) {{clustered}};

CREATE TABLE project_buckets (
    width       bigint NOT NULL,
    at          bigint NOT NULL,
    project_id  bigint NOT NULL,
    environment text NOT NULL,
    count       bigint NOT NULL,
    PRIMARY KEY (width, at, project_id, environment)
) {{clustered}};

-- Notices an hour by something that has a name: their class, their location or their user.
CREATE TABLE named_buckets (
    kind        text NOT NULL, -- class, location, user
    at          bigint NOT NULL, -- seconds, full hours
    project_id  bigint NOT NULL,
    environment text NOT NULL,
    name        text NOT NULL,
    count       bigint NOT NULL,
    PRIMARY KEY (kind, at, project_id, environment, name)
) {{clustered}};

CREATE TABLE fault_users (
    fault_id bigint NOT NULL,
    name     text NOT NULL,
    count    bigint NOT NULL,
    PRIMARY KEY (fault_id, name)
) {{clustered}};

-- How notices ended, by day (microseconds of UTC midnight). Stays when a project goes: the account used its quota.
CREATE TABLE ledger (
    account_id text NOT NULL,
    day        bigint NOT NULL,
    project_id bigint NOT NULL,
    stored     bigint NOT NULL,
    ignored    bigint NOT NULL,
    limited    bigint NOT NULL,
    invalid    bigint NOT NULL,
    PRIMARY KEY (account_id, day, project_id)
) {{clustered}};

-- How far the tables that follow notices have come: they hold every notice up to this id that the node has stored. See
-- digest.go; on SQLite the node is -1.
CREATE TABLE digests (
    node bigint NOT NULL,
    id   bigint NOT NULL,
    upto bigint NOT NULL,
    PRIMARY KEY (node, id)
);

-- The processes that record side by side, on PostgreSQL only; see node.go.
CREATE TABLE nodes (
    number {{key}},
    holder text NOT NULL -- who records with it; when that is dead, who counts what is left
);
