package directory

import (
	"testing"

	"sett/internal/sett/accounts"
)

func TestRequiredOpens(t *testing.T) {
	t.Parallel()
	member, owner := Required{AccountID: "a", Role: accounts.Member}, Required{AccountID: "a", Role: accounts.Owner}
	for what, c := range map[string]struct {
		of      Required
		account string
		factors bool
		want    bool
	}{
		"nothing is required":         {Required{}, "", false, true},
		"its own provider":            {member, "a", false, true},
		"another provider":            {member, "b", true, false},
		"a member with two factors":   {member, "", true, false},
		"an owner with two factors":   {owner, "", true, true},
		"an owner with one factor":    {owner, "", false, false},
		"an owner, another provider":  {owner, "b", false, false},
		"an owner by the own one too": {owner, "a", false, true},
	} {
		if got := c.of.Opens(c.account, c.factors); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}
