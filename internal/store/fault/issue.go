package fault

const LockFault = `-- store.lockFault
SELECT environment FROM faults WHERE project_id = $1 AND id = $2 {{for update}}`
