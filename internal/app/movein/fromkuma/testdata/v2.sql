-- What version 2 adds to a database of version 1.23.
CREATE TABLE knex_migrations (id INTEGER PRIMARY KEY, name VARCHAR(255));
CREATE TABLE stat_daily (id INTEGER PRIMARY KEY, monitor_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, ping FLOAT, up SMALLINT, down SMALLINT, ping_min FLOAT, ping_max FLOAT, extras TEXT);
CREATE TABLE stat_hourly (id INTEGER PRIMARY KEY, monitor_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, ping FLOAT, up SMALLINT, down SMALLINT);
ALTER TABLE monitor ADD conditions TEXT NOT NULL DEFAULT '[]';
ALTER TABLE heartbeat ADD retries INTEGER DEFAULT 0;
DELETE FROM setting WHERE key = 'database_version';
INSERT INTO setting (key, value) VALUES ('migrateAggregateTableState', '"migrated"');
-- 1 and 10 November 2026
INSERT INTO stat_daily (monitor_id, timestamp, ping, up, down) VALUES (1, 1793491200, 75.5, 1430, 10), (1, 1794268800, 81.2, 1440, 0), (99, 1794268800, 1, 1, 1);
