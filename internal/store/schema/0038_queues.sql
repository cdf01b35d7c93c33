-- +goose Up
-- What waits to be sent is claimed in the same way in all tables: by lanes, of which none delays another.
ALTER TABLE status_notices ADD COLUMN lane text NOT NULL DEFAULT ''; -- page and kind of the subscriber, such as "12:email"
UPDATE status_notices SET lane = page || ':' || kind;
DROP INDEX status_notices_due;
ALTER TABLE status_notices DROP COLUMN page;
ALTER TABLE status_notices DROP COLUMN kind;
CREATE INDEX status_notices_due ON status_notices (lane, due_at, id);

ALTER TABLE mails ADD COLUMN trying boolean NOT NULL DEFAULT false; -- a process has claimed it, until due_at
ALTER TABLE mails ADD COLUMN claims bigint NOT NULL DEFAULT 0;      -- how often it was claimed, which identifies a claim
ALTER TABLE mails ADD COLUMN claimed_by text NOT NULL DEFAULT '';   -- the process that claimed it last
DROP INDEX mails_due;
CREATE INDEX mails_due ON mails (kind, due_at, id) WHERE NOT given_up;
CREATE INDEX mails_trying ON mails (claimed_by) WHERE trying;
