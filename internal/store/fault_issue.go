package store

const lockFault = `-- store.lockFault
SELECT environment FROM faults WHERE project_id = $1 AND id = $2 {{for update}}`
