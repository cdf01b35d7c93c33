-- +goose Up
-- Mails that are still to be sent: claimed for a while by the node that sends them, and gone once sent.
CREATE TABLE mails (
    id         {{identity}},
    recipient  text NOT NULL,
    kind       text NOT NULL,             -- sett.MailKind
    fields     text NOT NULL,             -- JSON, as the kind needs them; may hold secrets, so it goes with the mail
    created_at bigint NOT NULL,
    due_at     bigint NOT NULL,           -- when to try next; in the future while somebody tries
    tries      bigint NOT NULL DEFAULT 0,
    problem    text NOT NULL DEFAULT ''   -- of the last try
);
CREATE INDEX mails_due ON mails (due_at, id);
