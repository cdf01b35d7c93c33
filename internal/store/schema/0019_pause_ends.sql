-- +goose Up
-- The end of a pause of a fault: the first notice after it raises an alert; 0: no pause ends. Here because it is read with
-- paused_count, which is reset to 0 by that alert.
ALTER TABLE fault_counts ADD COLUMN resumes_at bigint NOT NULL DEFAULT 0;
UPDATE fault_counts SET resumes_at = (SELECT f.paused_until FROM faults f WHERE f.id = fault_counts.fault_id)
WHERE fault_id IN (SELECT f.id FROM faults f WHERE f.paused_until > 0) AND last_notice_at < (SELECT f.paused_until FROM faults f WHERE f.id = fault_counts.fault_id);
UPDATE fault_counts SET paused_count = 0 WHERE paused_count > 0 AND notices_count > paused_count;
