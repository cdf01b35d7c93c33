-- +goose Up
-- Every change of the state of a check-in, so that status pages can tell when it was missing. Unlike its events, they are
-- kept however often it reports. Old ones, and those of a check-in that has many, are folded into check_in_days; the
-- newest never is, so that a check-in that goes on as it is has one row for good.
CREATE TABLE check_in_turns (
    id       {{identity}},
    check_in bigint NOT NULL REFERENCES check_ins ON DELETE CASCADE,
    at       bigint NOT NULL,
    state    text NOT NULL -- sett.CheckInState, from then on
);
CREATE INDEX check_in_turns_by_check_in ON check_in_turns (check_in, id);

-- What is kept of turns that are folded, by UTC day; see sett.StatusDay. Times are microseconds.
CREATE TABLE check_in_days (
    check_in bigint NOT NULL REFERENCES check_ins ON DELETE CASCADE,
    day      bigint NOT NULL, -- of its midnight
    measured bigint NOT NULL,
    down     bigint NOT NULL,
    outages  bigint NOT NULL,
    began    bigint NOT NULL,
    PRIMARY KEY (check_in, day)
) {{clustered}};

-- With the times of outages, so that the days of a site are drawn from the index alone.
DROP INDEX outages_by_site;
CREATE INDEX outages_by_site ON outages (site_id, created_at, id, down_at, up_at);

-- What events tell of the time before there were turns.
INSERT INTO check_in_turns (check_in, at, state)
SELECT e.check_in, e.at, CASE e.kind WHEN 'missing' THEN 'missing' WHEN 'paused' THEN 'paused' ELSE 'reporting' END
FROM check_in_events e
WHERE e.kind IN ('missing', 'reporting', 'paused', 'resumed')
    OR e.kind = 'reported' AND e.id = (SELECT min(f.id) FROM check_in_events f WHERE f.check_in = e.check_in)
ORDER BY e.id;

-- They do not tell of every first ping, nor whether a change made a check-in wait for one.
INSERT INTO check_in_turns (check_in, at, state)
SELECT c.number, CASE WHEN c.updated_at > t.at THEN c.updated_at ELSE t.at END, c.state
FROM check_ins c JOIN check_in_turns t ON t.id = (SELECT max(l.id) FROM check_in_turns l WHERE l.check_in = c.number)
WHERE t.state <> c.state;
