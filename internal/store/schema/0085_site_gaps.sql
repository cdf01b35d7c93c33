-- +goose Up
-- Of a site that was down when it was last seen: why that is not known any more; see sett.SiteGap.
ALTER TABLE site_states ADD COLUMN gap text NOT NULL DEFAULT '';
UPDATE site_states SET gap = 'paused' WHERE state = 'down' AND site_id IN (SELECT s.id FROM sites s WHERE s.active = false);
-- An outage ends with the checks of the site.
UPDATE outages SET up_at = (SELECT CASE WHEN st.last_checked_at > outages.down_at THEN st.last_checked_at ELSE outages.down_at + 1 END FROM site_states st WHERE st.site_id = outages.site_id)
WHERE up_at = 0 AND site_id IN (SELECT s.id FROM sites s WHERE s.active = false);
