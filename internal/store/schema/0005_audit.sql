-- +goose Up
-- Who changed what. It refers to nothing, so that a row outlives all that it names.
CREATE TABLE audit_log (
    id         {{identity}},
    account_id text NOT NULL,   -- '' : a change in no account
    at         bigint NOT NULL,
    user_id    bigint NOT NULL,
    user_name  text NOT NULL,
    user_email text NOT NULL,
    token      text NOT NULL,   -- name of the personal token; '' : signed in otherwise
    action     text NOT NULL,   -- serve.Route.Name
    subject    text NOT NULL,   -- name of the project, team or account then
    target     text NOT NULL,   -- JSON object: the ids in the path
    query      text NOT NULL,   -- JSON object, masked
    changes    text NOT NULL,   -- JSON object, masked
    address    text NOT NULL,
    user_agent text NOT NULL
);
CREATE INDEX audit_log_by_account ON audit_log (account_id, at, id);
