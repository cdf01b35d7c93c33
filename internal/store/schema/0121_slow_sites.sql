-- +goose Up
-- Responses of a site that take longer than slow_after (milliseconds; 0: none) are slow; see checks.Pace.
ALTER TABLE sites ADD COLUMN slow_after bigint NOT NULL DEFAULT 0;
ALTER TABLE sites ADD COLUMN slow_checks bigint NOT NULL DEFAULT 3;
ALTER TABLE verdicts ADD COLUMN pace bigint NOT NULL DEFAULT 0; -- above 0: slow checks in a row; below 0: fast ones
ALTER TABLE verdicts ADD COLUMN pace_since bigint NOT NULL DEFAULT 0;
ALTER TABLE site_states ADD COLUMN slow_since bigint NOT NULL DEFAULT 0; -- 0: not slow, or nothing is known
ALTER TABLE site_states ADD COLUMN was_slow boolean NOT NULL DEFAULT false; -- before nothing was known

-- Times in which a site was slow.
CREATE TABLE slow_spells (
    id         {{identity}},
    site_id    bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
    slow_at    bigint NOT NULL,
    fast_at    bigint NOT NULL, -- when it was over; 0: it lasts
    created_at bigint NOT NULL,
    slow_after bigint NOT NULL, -- milliseconds
    took       bigint NOT NULL, -- microseconds, of the check that confirmed it; 0: unknown
    ending     text NOT NULL    -- checks.SlowEnding
);
CREATE INDEX slow_spells_by_site ON slow_spells (site_id, created_at, id);
CREATE UNIQUE INDEX slow_spells_open ON slow_spells (site_id) WHERE fast_at = 0;

-- Who is notified of outages and certificates is notified of slow sites: there are none until a user sets a limit.
UPDATE integrations SET events = replace(events, '"cert_will_expire"', '"slow","fast","cert_will_expire"') WHERE events LIKE '%"down"%';
UPDATE personal_alerts SET events = replace(events, '"cert_will_expire"', '"slow","fast","cert_will_expire"') WHERE events LIKE '%"down"%';

DROP INDEX deliveries_to_merge;
CREATE INDEX deliveries_to_merge ON deliveries (receiver, due_at) WHERE state = 'due' AND NOT behind AND event IN ('down', 'slow', 'check_in_missing', 'check_in_failed');
