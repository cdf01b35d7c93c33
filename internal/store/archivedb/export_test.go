package archivedb

// Refers says whether a column refers to another noun.
func (n Noun) Refers(column string) bool {
	for _, r := range n.refs {
		if r.column == column {
			return true
		}
	}
	return column == n.ID || column == "account_id"
}

// Stays says whether a column is not exported.
func (n Noun) Stays(column string) bool {
	_, stays := n.stays[column]
	return stays
}

// Safe says whether something stands for a secret in exports without secrets.
func (n Noun) Safe(column string) bool {
	_, safe := n.safe[column]
	return safe
}
