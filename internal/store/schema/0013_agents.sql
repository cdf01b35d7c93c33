-- +goose Up
-- Programs that check sites from other locations.
CREATE TABLE agents (
    id         {{identity}},
    name       text NOT NULL,
    hash       bytea NOT NULL UNIQUE, -- SHA-256 of its token
    created_at bigint NOT NULL,
    location   text NOT NULL,         -- that the token is for; '' : the first that it is used at
    version    text NOT NULL,         -- of its program, as it said last; '' : never
    heard_at   bigint NOT NULL,       -- 0: never
    degraded   boolean NOT NULL,      -- nothing can be reached from there, it said
    skew       bigint NOT NULL,       -- microseconds that its clock is ahead
    dropped    bigint NOT NULL        -- reports that it had no room to keep, since it began
);

-- The newest batch that was recorded of each run of an agent.
CREATE TABLE agent_streams (
    agent_id bigint NOT NULL REFERENCES agents ON DELETE CASCADE,
    stream   text NOT NULL,
    sequence bigint NOT NULL,
    at       bigint NOT NULL,
    PRIMARY KEY (agent_id, stream)
) {{clustered}};
CREATE INDEX agent_streams_by_age ON agent_streams (at);
