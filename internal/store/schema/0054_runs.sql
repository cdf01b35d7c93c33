-- +goose Up
-- The run of a job that has started and not ended; see run.Watch.
ALTER TABLE check_ins ADD COLUMN run_id text NOT NULL DEFAULT ''; -- by the job; '': none
ALTER TABLE check_ins ADD COLUMN run_started_at bigint NOT NULL DEFAULT 0; -- 0: no run, as run_deadline_at
ALTER TABLE check_ins ADD COLUMN run_deadline_at bigint NOT NULL DEFAULT 0;
ALTER TABLE check_ins ADD COLUMN run_longest bigint NOT NULL DEFAULT 0; -- microseconds, as the job said last; 0: never
ALTER TABLE check_ins ADD COLUMN runs_ended text NOT NULL DEFAULT ''; -- the ids of those that ended last
CREATE INDEX check_ins_running ON check_ins (run_deadline_at) WHERE run_deadline_at > 0;
