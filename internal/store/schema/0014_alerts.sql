-- +goose Up
-- Events that may send notifications, written in the transaction of the change. Only two columns change afterwards: spread,
-- once the deliveries are created, and message, once the text is composed.
CREATE TABLE alerts (
    id             {{identity}},
    project_id     bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    event          text NOT NULL,   -- sett.AlertEvent
    subject        text NOT NULL,   -- sett.AlertSubject
    fault_id       bigint NOT NULL, -- 0: about no fault, or about many
    environment    text NOT NULL,   -- '' : none
    integration_id bigint NOT NULL, -- the only receiver; 0: all receivers that select the event
    at             bigint NOT NULL, -- when it happened
    created_at     bigint NOT NULL,
    facts          text NOT NULL,   -- JSON of sett.AlertFacts
    spread         boolean NOT NULL DEFAULT false,
    message        bytea            -- compressed: what the first receiver was sent, and all others are; NULL before
);
CREATE INDEX alerts_to_spread ON alerts (id) WHERE NOT spread;
CREATE INDEX alerts_by_project ON alerts (project_id, id);
CREATE INDEX alerts_by_fault ON alerts (fault_id, id) WHERE fault_id > 0;

-- One alert for one receiver. Its id is the key by which a receiver knows it again.
CREATE TABLE deliveries (
    id             {{identity}},
    alert_id       bigint NOT NULL REFERENCES alerts ON DELETE CASCADE,
    receiver       text NOT NULL,   -- sett.Receiver: an integration or a user
    integration_id bigint REFERENCES integrations ON DELETE CASCADE,
    user_id        bigint REFERENCES users ON DELETE CASCADE,
    event          text NOT NULL,   -- of the alert, as its subject
    subject        text NOT NULL,
    state          text NOT NULL,   -- sett.DeliveryState
    due_at         bigint NOT NULL, -- time of the next attempt, in the future during one
    trying         boolean NOT NULL DEFAULT false, -- a process has claimed it, until due_at
    tries          bigint NOT NULL, -- begun, since people last asked for it
    claims         bigint NOT NULL DEFAULT 0,      -- so often it was ever claimed, by which a claim is known
    claimed_by     text NOT NULL DEFAULT '',       -- the process that claimed it last
    again          boolean NOT NULL DEFAULT false, -- asked for once more by people: it waits for none, and none for it
    behind         boolean NOT NULL DEFAULT false, -- waits for an older one to its receiver about its subject; its turn ends that
    not_before     bigint NOT NULL DEFAULT 0,      -- until then its receiver wants to be left alone; 0: it did not say
    created_at     bigint NOT NULL,
    done_at        bigint NOT NULL, -- 0: not yet
    problem        text NOT NULL,   -- of the last try, or why it was not sent
    UNIQUE (alert_id, receiver)
);
CREATE INDEX deliveries_due ON deliveries (receiver, due_at, id) WHERE state = 'due' AND NOT behind;
CREATE INDEX deliveries_to_merge ON deliveries (receiver, due_at) WHERE state = 'due' AND NOT behind AND event IN ('down', 'check_in_missing');
CREATE INDEX deliveries_trying ON deliveries (claimed_by) WHERE trying;
CREATE INDEX deliveries_in_order ON deliveries (receiver, subject, id);
CREATE INDEX deliveries_open ON deliveries (receiver, subject, alert_id) WHERE state = 'due' AND NOT again;
CREATE INDEX deliveries_by_integration ON deliveries (integration_id, id) WHERE integration_id IS NOT NULL;
CREATE INDEX deliveries_by_user ON deliveries (user_id, id) WHERE user_id IS NOT NULL;

-- Every try of a delivery.
CREATE TABLE attempts (
    delivery_id bigint NOT NULL REFERENCES deliveries ON DELETE CASCADE,
    number      bigint NOT NULL, -- 1 is the first
    at          bigint NOT NULL,
    duration    bigint NOT NULL, -- microseconds
    status      bigint NOT NULL, -- of HTTP; 0: there was no answer
    problem     text NOT NULL,   -- '' : it was taken
    PRIMARY KEY (delivery_id, number)
);

-- How many messages a receiver got within its window of ten minutes.
CREATE TABLE floods (
    receiver   text PRIMARY KEY,
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    began_at   bigint NOT NULL,
    sent       bigint NOT NULL,
    held       bigint NOT NULL  -- that the summary at the window's end is to tell of
);
CREATE INDEX floods_by_project ON floods (project_id);

-- A copy of that of faults, so that a fold, which moves notices_count, sees without another look when a pause ends.
ALTER TABLE fault_counts ADD COLUMN paused_count bigint NOT NULL DEFAULT 0;
UPDATE fault_counts SET paused_count = (SELECT f.paused_count FROM faults f WHERE f.id = fault_counts.fault_id)
WHERE fault_id IN (SELECT f.id FROM faults f WHERE f.paused_count > 0);

ALTER TABLE integrations ADD COLUMN check_in_ids text NOT NULL DEFAULT '[]';            -- JSON
ALTER TABLE integrations ADD COLUMN rate text NOT NULL DEFAULT '';                      -- sett.AlertRate
ALTER TABLE integrations ADD COLUMN threshold bigint NOT NULL DEFAULT 0;
ALTER TABLE integrations ADD COLUMN notification_limit bigint NOT NULL DEFAULT 30;      -- in ten minutes
ALTER TABLE integrations ADD COLUMN failed_at bigint NOT NULL DEFAULT 0;                -- 0: nothing wrong since the last edit
ALTER TABLE integrations ADD COLUMN problem text NOT NULL DEFAULT '';
ALTER TABLE integrations ADD COLUMN mailed_at bigint NOT NULL DEFAULT 0;                -- when users were last notified of a failure; 0: never
ALTER TABLE integrations ADD COLUMN mail_owed boolean NOT NULL DEFAULT false;           -- the last failure came too soon after that for another mail
ALTER TABLE integrations ADD COLUMN updated_at bigint NOT NULL DEFAULT 0;

ALTER TABLE nodes ADD COLUMN process text NOT NULL DEFAULT ''; -- that holds the number, under whatever name it holds claims; '' : it is dead
