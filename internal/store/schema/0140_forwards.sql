-- +goose Up
-- Projects that send on what they receive, to the service that they move from, until a day.
CREATE TABLE forwards (
    project_id bigint PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    target     text NOT NULL, -- forward.Target.Text, sealed: it has a key
    starts_at  bigint NOT NULL,
    ends_at    bigint NOT NULL,
    problem    text NOT NULL DEFAULT '', -- why the newest report that was not accepted was not; '' : none
    problem_at bigint NOT NULL DEFAULT 0
);

-- What became of these requests, by the day (UTC) on which they were received.
CREATE TABLE forward_days (
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    day        bigint NOT NULL,
    sent       bigint NOT NULL, -- the other service accepted
    refused    bigint NOT NULL,
    failed     bigint NOT NULL, -- no response
    dropped    bigint NOT NULL, -- there was no room for
    errors     bigint NOT NULL, -- in those that were sent
    PRIMARY KEY (project_id, day)
);
