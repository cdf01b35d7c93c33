-- +goose Up
-- When integrations were last notified that a fault occurred more often than they allow.
CREATE TABLE rate_alerts (
    fault_id       bigint NOT NULL REFERENCES faults ON DELETE CASCADE,
    integration_id bigint NOT NULL REFERENCES integrations ON DELETE CASCADE,
    at             bigint NOT NULL, -- of the newest notice that counted
    PRIMARY KEY (fault_id, integration_id)
) {{clustered}};
CREATE INDEX rate_alerts_by_integration ON rate_alerts (integration_id, fault_id);

-- Faults whose spike sent a notification.
CREATE TABLE volume_spikes (
    fault_id {{key}} REFERENCES faults ON DELETE CASCADE,
    high_at  bigint NOT NULL -- when it last occurred as often as in a spike
);

-- How far looks for alerts have come. Who raises what a look has found holds its row, so that of several nodes one does.
CREATE TABLE alert_looks (
    name text PRIMARY KEY,
    at   bigint NOT NULL -- when the last one began that found something to look at; 0: never, and of volume_spike
) {{clustered}};
INSERT INTO alert_looks (name, at) VALUES ('rate_exceeded', 0), ('volume_spike', 0);

CREATE INDEX integrations_with_rates ON integrations (project_id, id) WHERE threshold > 0;
