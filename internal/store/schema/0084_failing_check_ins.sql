-- +goose Up
-- Problems of check-ins that receivers were notified of, and when they are notified again; see sett.CheckIn.
ALTER TABLE check_ins ADD COLUMN reminder_interval text NOT NULL DEFAULT ''; -- as sent; '': the default
ALTER TABLE check_ins ADD COLUMN trouble_at bigint NOT NULL DEFAULT 0;       -- 0: none
ALTER TABLE check_ins ADD COLUMN remind_at bigint NOT NULL DEFAULT 0;        -- 0: never
UPDATE check_ins SET remind_at = 1, trouble_at = coalesce((SELECT t.at FROM check_in_turns t WHERE t.check_in = check_ins.number ORDER BY t.id DESC LIMIT 1), updated_at)
WHERE missed_count > 0;

-- Who is notified of missed check-ins is notified of failed ones.
UPDATE integrations SET events = replace(events, '"check_in_missing"', '"check_in_missing","check_in_failed"');
UPDATE personal_alerts SET events = replace(events, '"check_in_missing"', '"check_in_missing","check_in_failed"');

DROP INDEX deliveries_to_merge;
CREATE INDEX deliveries_to_merge ON deliveries (receiver, due_at) WHERE state = 'due' AND NOT behind AND event IN ('down', 'check_in_missing', 'check_in_failed');
