-- A database of version 1.23, made by hand.
CREATE TABLE setting (id INTEGER PRIMARY KEY, key VARCHAR(200), value TEXT, type VARCHAR(20));
CREATE TABLE monitor (id INTEGER PRIMARY KEY, name VARCHAR(150), active BOOLEAN DEFAULT 1, user_id INTEGER, interval INTEGER DEFAULT 20, url TEXT, type VARCHAR(20), weight INTEGER DEFAULT 2000,
    hostname VARCHAR(255), port INTEGER, created_date DATETIME, keyword VARCHAR(255), invert_keyword BOOLEAN DEFAULT 0, maxretries INTEGER DEFAULT 0, ignore_tls BOOLEAN DEFAULT 0, upside_down BOOLEAN DEFAULT 0,
    maxredirects INTEGER DEFAULT 10, accepted_statuscodes_json TEXT DEFAULT '["200-299"]', dns_resolve_type VARCHAR(5), retry_interval INTEGER DEFAULT 0, push_token VARCHAR(20), method TEXT DEFAULT 'GET', body TEXT,
    headers TEXT, basic_auth_user TEXT, basic_auth_pass TEXT, auth_method VARCHAR(250), http_body_encoding VARCHAR(25), parent INTEGER, proxy_id INTEGER, timeout DOUBLE DEFAULT 0, description TEXT, json_path TEXT, expected_value VARCHAR(255));
CREATE TABLE heartbeat (id INTEGER PRIMARY KEY, important BOOLEAN DEFAULT 0, monitor_id INTEGER, status SMALLINT, msg TEXT, time DATETIME, ping INTEGER, duration INTEGER DEFAULT 0, down_count INTEGER DEFAULT 0);
CREATE TABLE notification (id INTEGER PRIMARY KEY, name VARCHAR(255), active BOOLEAN DEFAULT 1, user_id INTEGER, is_default BOOLEAN DEFAULT 0, config TEXT);
CREATE TABLE tag (id INTEGER PRIMARY KEY, name VARCHAR(255), color VARCHAR(255));
CREATE TABLE status_page (id INTEGER PRIMARY KEY, slug VARCHAR(255), title VARCHAR(255), description TEXT, icon VARCHAR(255), theme VARCHAR(30), published BOOLEAN DEFAULT 1, search_engine_index BOOLEAN DEFAULT 1,
    show_tags BOOLEAN DEFAULT 0, password VARCHAR, footer_text TEXT, custom_css TEXT);
CREATE TABLE status_page_cname (id INTEGER PRIMARY KEY, status_page_id INTEGER, domain VARCHAR);
CREATE TABLE "group" (id INTEGER PRIMARY KEY, name VARCHAR(255), public BOOLEAN DEFAULT 0, active BOOLEAN DEFAULT 1, weight INTEGER DEFAULT 1000, status_page_id INTEGER);
CREATE TABLE monitor_group (id INTEGER PRIMARY KEY, monitor_id INTEGER, group_id INTEGER, weight INTEGER DEFAULT 1000, send_url BOOLEAN DEFAULT 0);
CREATE TABLE incident (id INTEGER PRIMARY KEY, title VARCHAR(255), content TEXT, style VARCHAR(30), created_date DATETIME, last_updated_date DATETIME, pin BOOLEAN DEFAULT 1, active BOOLEAN DEFAULT 1, status_page_id INTEGER);
CREATE TABLE maintenance (id INTEGER PRIMARY KEY, title VARCHAR(150), description TEXT, user_id INTEGER, active BOOLEAN DEFAULT 1, strategy VARCHAR(50), start_date DATETIME, end_date DATETIME, start_time TIME, end_time TIME,
    weekdays VARCHAR(250), days_of_month VARCHAR(250), interval_day INTEGER, cron TEXT, timezone VARCHAR(255), duration INTEGER);
CREATE TABLE monitor_maintenance (id INTEGER PRIMARY KEY, monitor_id INTEGER, maintenance_id INTEGER);

INSERT INTO setting (key, value) VALUES ('jwtSecret', '"not-a-secret"'), ('database_version', '10'), ('serverTimezone', '"Europe/Berlin"');
INSERT INTO monitor (id, name, interval, url, type, weight, maxretries, timeout, headers, basic_auth_user, basic_auth_pass, auth_method) VALUES
    (1, 'Shop', 60, 'https://shop.example.org/health', 'http', 3000, 2, 48, '{"X-Key": "abc"}', 'probe', 'pass', 'basic');
INSERT INTO monitor (id, name, interval, url, type, keyword, invert_keyword, ignore_tls, maxredirects, method, body, http_body_encoding, timeout) VALUES
    (2, 'Search', 20, 'https://search.example.org/', 'keyword', 'error', 1, 1, 0, 'POST', '{"q":1}', 'json', 16);
INSERT INTO monitor (id, name, interval, type, hostname, port, timeout, active) VALUES (3, 'Database', 300, 'port', 'db.example.org', 5432, 0, 0);
INSERT INTO monitor (id, name, interval, type, push_token, retry_interval, maxretries) VALUES (4, 'Backup', 3600, 'push', 'AbCdEfGhIj0123456789', 600, 3);
INSERT INTO monitor (id, name, type) VALUES (5, 'Everything', 'group');
INSERT INTO monitor (id, name, interval, url, type, accepted_statuscodes_json) VALUES (6, 'Old address', 900, 'https://old.example.org/', 'http', '["301"]');
INSERT INTO monitor (id, name, interval, url, type, accepted_statuscodes_json, auth_method, method) VALUES (7, 'Intranet', 60, 'https://in.example.org/', 'http', '["200-299", "404"]', 'ntlm', 'HEAD');
INSERT INTO monitor (id, name, interval, url, type, upside_down) VALUES (8, 'Firewall', 60, 'https://admin.example.org/', 'http', 1);
INSERT INTO monitor (id, name, type, hostname) VALUES (9, 'Names', 'dns', 'example.org');
INSERT INTO monitor (id, name, type) VALUES (10, 'Broker', 'mqtt');

INSERT INTO heartbeat (monitor_id, important, status, msg, time, ping) VALUES
    (1, 1, 1, '200 - OK', '2026-11-10 00:00:10.000', 80), (1, 0, 1, '200 - OK', '2026-11-10 00:01:10.000', 120), (1, 1, 0, 'timeout of 48000ms exceeded', '2026-11-11 10:00:00.000', NULL),
    (1, 0, 0, 'timeout of 48000ms exceeded', '2026-11-11 10:01:00.000', NULL), (1, 1, 1, '200 - OK', '2026-11-11 11:30:00.000', 90), (1, 1, 0, 'ECONNREFUSED', '2026-11-12 09:00:00.000', NULL),
    (4, 1, 1, 'OK', '2026-11-10 01:00:00.000', NULL), (4, 1, 0, 'No heartbeat in the time window', '2026-11-10 03:00:00.000', NULL), (4, 1, 1, 'OK', '2026-11-10 04:00:00.000', NULL);

INSERT INTO notification (id, name, config) VALUES
    (1, 'Team', '{"type": "telegram", "telegramBotToken": "123:abc", "telegramChatID": -1001, "name": "Team"}'),
    (2, 'Mail', '{"type": "smtp", "smtpTo": "ops@example.org", "smtpHost": "mail.example.org"}'),
    (3, 'Bark', '{"type": "Bark", "barkEndpoint": "https://bark.example.org"}'), (4, 'Broken', 'no JSON');
INSERT INTO tag (name) VALUES ('prod');
INSERT INTO status_page (id, slug, title, description, icon) VALUES (1, 'acme', 'Acme', 'How we do', '/icon.svg');
INSERT INTO status_page (id, slug, title, password) VALUES (2, 'inner', 'Inner', 'secret');
INSERT INTO status_page_cname (status_page_id, domain) VALUES (1, 'status.example.org'), (1, 'up.example.org');
INSERT INTO "group" (id, name, public, weight, status_page_id) VALUES (1, 'Web', 1, 1, 1), (2, 'Jobs', 1, 2, 1), (3, 'Inside', 1, 1, 2);
INSERT INTO monitor_group (monitor_id, group_id, weight) VALUES (2, 1, 2), (1, 1, 1), (4, 2, 1), (5, 2, 2), (1, 3, 1);
INSERT INTO incident (id, title, content, style, created_date, last_updated_date, pin, active, status_page_id) VALUES
    (1, 'Slow', 'It was **slow**.', 'warning', '2026-11-11 10:05:00', '2026-11-11 11:40:00', 0, 1, 1), (2, '', 'We look into it.', 'danger', '2026-11-12 09:05:00', NULL, 1, 1, 1);
INSERT INTO maintenance (id, title, strategy, start_date, end_date, timezone) VALUES (1, 'Upgrade', 'single', '2099-12-01 22:00:00', '2099-12-01 23:00:00', 'SAME_AS_SERVER'), (2, 'Every night', 'cron', NULL, NULL, 'UTC');
INSERT INTO monitor_maintenance (monitor_id, maintenance_id) VALUES (1, 1), (4, 1), (1, 2);
