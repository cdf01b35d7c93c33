-- +goose Up
-- The mails that users receive about a project. Without a row they have sett.NewPersonalAlerts.
CREATE TABLE personal_alerts (
    user_id     bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    project_id  bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    events      text NOT NULL,    -- JSON of sett.AlertEvent
    mentions    boolean NOT NULL, -- a mail when a comment names them
    digest      text NOT NULL,    -- sett.DigestInterval
    digest_upto bigint NOT NULL,  -- end of the time that digests have covered
    updated_at  bigint NOT NULL,
    PRIMARY KEY (user_id, project_id)
);
CREATE INDEX personal_alerts_by_project ON personal_alerts (project_id);
CREATE INDEX personal_digests_due ON personal_alerts (digest, digest_upto) WHERE digest <> 'off';

-- What the secret of a link that ends such mails is made of; all mails to one user about one project have the same link.
CREATE TABLE unsubscribe_links (
    user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    key        bytea NOT NULL, -- of sett.UnsubscribeToken
    PRIMARY KEY (user_id, project_id)
);
CREATE INDEX unsubscribe_links_by_project ON unsubscribe_links (project_id);

-- For digests: what happened in a time, without a look at all that ever did.
CREATE INDEX comments_resolving ON comments (created_at, fault_id) WHERE event = 'resolved';
CREATE INDEX check_in_misses ON check_in_events (check_in, at) WHERE kind = 'missing';
