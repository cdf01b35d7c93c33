package nodedb

import "database/sql"

func (n *Node) Locks() *sql.Conn { return n.locks }
