-- +goose Up
-- Repositories of projects at hosts of source control.
CREATE TABLE repositories (
    id             {{identity}},
    project_id     bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    host           text NOT NULL,   -- repo.Host
    url            text NOT NULL,
    path           text NOT NULL,
    default_branch text NOT NULL,
    token          text NOT NULL,   -- encrypted
    secret         text NOT NULL,   -- encrypted
    comments       boolean NOT NULL,
    created_at     bigint NOT NULL,
    heard_at       bigint NOT NULL, -- of the last webhook; 0: none
    asked_at       bigint NOT NULL, -- when sett asked the host last; 0: never
    problem        text NOT NULL,   -- why that failed; empty: it did not
    owners         text NOT NULL,   -- its file CODEOWNERS
    head_sha       text NOT NULL,   -- newest commit of the default branch, as far as webhooks say it
    unordered_to   bigint NOT NULL  -- up to this id, the order of branch_commits is not known: a push was forced, late or missing
);
CREATE UNIQUE INDEX repositories_by_url ON repositories (project_id, url, path);

-- Pull and merge requests.
CREATE TABLE changes (
    repository_id bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
    number        bigint NOT NULL,
    title         text NOT NULL,
    url           text NOT NULL,
    state         text NOT NULL,   -- repo.State
    draft         boolean NOT NULL,
    branch        text NOT NULL,
    target        text NOT NULL,
    from_fork     boolean NOT NULL,
    head_sha      text NOT NULL,
    merge_sha     text NOT NULL,
    author        text NOT NULL,
    checks        text NOT NULL,   -- repo.Checks
    checked_at    bigint NOT NULL, -- of the checks
    updated_at    bigint NOT NULL, -- by the clock of the host
    merged_at     bigint NOT NULL,
    PRIMARY KEY (repository_id, number)
) {{clustered}};
CREATE INDEX changes_by_head ON changes (repository_id, head_sha);
CREATE INDEX changes_by_age ON changes (updated_at);

-- Commits of default branches, in the order in which webhooks brought them.
CREATE TABLE branch_commits (
    id            {{identity}},
    repository_id bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
    sha           text NOT NULL,
    message       text NOT NULL,
    author        text NOT NULL,
    email         text NOT NULL,
    at            bigint NOT NULL,
    url           text NOT NULL,
    files         text NOT NULL,    -- paths, a line each
    is_head       boolean NOT NULL, -- the last of its push: it contains all before it
    heard_at      bigint NOT NULL
);
CREATE UNIQUE INDEX branch_commits_by_sha ON branch_commits (repository_id, sha);
CREATE INDEX branch_commits_by_age ON branch_commits (heard_at);

-- What a change or a commit says about an error. The error may have been merged into another since.
CREATE TABLE fixes (
    repository_id bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
    fault_id      bigint NOT NULL,
    number        bigint NOT NULL, -- of the change; 0: a commit says it
    sha           text NOT NULL,   -- of the commit that says it; empty: a change does
    project_id    bigint NOT NULL,
    branch        text NOT NULL,   -- of the commit
    title         text NOT NULL,   -- first line of the commit
    author        text NOT NULL,   -- of the commit
    url           text NOT NULL,   -- of the commit
    fixes         boolean NOT NULL, -- or only mentions the error
    by_hand       boolean NOT NULL, -- a user linked it
    state         text NOT NULL,   -- repo.FixState
    landed_sha    text NOT NULL,   -- that a deploy must contain; empty: not merged
    reverted_by   text NOT NULL,   -- commit
    release       text NOT NULL,   -- revision whose deploy resolved the error
    created_at    bigint NOT NULL,
    PRIMARY KEY (repository_id, fault_id, number, sha)
) {{clustered}};
CREATE INDEX fixes_of_fault ON fixes (fault_id);
CREATE INDEX fixes_landed ON fixes (project_id, state);

-- The commit that an error most likely came from, or why there is none.
CREATE TABLE suspects (
    fault_id      bigint PRIMARY KEY,
    project_id    bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    repository_id bigint NOT NULL, -- 0: none was found
    outcome       text NOT NULL,   -- repo.Outcome
    sha           text NOT NULL,
    message       text NOT NULL,
    author        text NOT NULL,
    email         text NOT NULL,
    at            bigint NOT NULL,
    url           text NOT NULL,
    change_number bigint NOT NULL, -- of the change that brought it; 0: unknown
    why           text NOT NULL,   -- it is this one, or there is none
    revision      text NOT NULL,   -- at which was looked
    found_at      bigint NOT NULL
);
CREATE INDEX suspects_by_project ON suspects (project_id, found_at);

-- Deploys and errors that are yet to be compared with the repositories of their project.
CREATE TABLE repository_work (
    kind       text NOT NULL,   -- repo.WorkKind
    subject_id bigint NOT NULL, -- of the deploy or fault
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    due_at     bigint NOT NULL,
    tries      bigint NOT NULL,
    PRIMARY KEY (kind, subject_id)
) {{clustered}};
CREATE INDEX repository_work_due ON repository_work (due_at);
CREATE INDEX repository_work_of_project ON repository_work (project_id);
