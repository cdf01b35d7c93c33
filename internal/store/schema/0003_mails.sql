-- +goose Up
-- Mails that are still to be sent: claimed for a while by the node that sends them, and gone once sent. One that was
-- given up stays a few days, without its fields, so that an operator can see why.
CREATE TABLE mails (
    id         {{identity}},
    recipient  text NOT NULL,
    kind       text NOT NULL,             -- sett.MailKind
    fields     text NOT NULL,             -- JSON, as the kind needs them; may hold secrets, so it goes with the mail
    created_at bigint NOT NULL,
    due_at     bigint NOT NULL,           -- time of the next attempt, in the future during one; of a failed mail, when it is deleted
    tries      bigint NOT NULL DEFAULT 0, -- begun
    given_up   boolean NOT NULL DEFAULT false,
    problem    text NOT NULL DEFAULT ''   -- of the last try
);
CREATE INDEX mails_due ON mails (due_at, id) WHERE NOT given_up;
CREATE INDEX mails_given_up ON mails (due_at) WHERE given_up;
