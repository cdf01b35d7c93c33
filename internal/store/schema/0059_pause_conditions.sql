-- +goose Up
-- What ends the pause of a fault before its time: that so many more users are affected, or that it has so many notices within a period.
CREATE TABLE pause_conditions (
    fault_id     {{key}} REFERENCES faults ON DELETE CASCADE,
    users        bigint NOT NULL, -- more than users_before; 0: notices are counted
    users_before bigint NOT NULL,
    notices      bigint NOT NULL,
    per          bigint NOT NULL, -- seconds
    created_at   bigint NOT NULL,
    created_by   bigint NOT NULL -- user
);
