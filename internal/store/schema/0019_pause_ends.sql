-- +goose Up
-- From when on a notice of a fault is told of, because a pause of it ends then; 0: no such notice is waited for. Like
-- paused_count here, which is 0 again once somebody was told.
ALTER TABLE fault_counts ADD COLUMN resumes_at bigint NOT NULL DEFAULT 0;
UPDATE fault_counts SET resumes_at = (SELECT f.paused_until FROM faults f WHERE f.id = fault_counts.fault_id)
WHERE fault_id IN (SELECT f.id FROM faults f WHERE f.paused_until > 0) AND last_notice_at < (SELECT f.paused_until FROM faults f WHERE f.id = fault_counts.fault_id);
UPDATE fault_counts SET paused_count = 0 WHERE paused_count > 0 AND notices_count > paused_count;
