package group

import "testing"

func TestIsHelper(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]bool{
		"require": true, "com.kiosk.Shop.require": true, "Shop.assertPrice": true, "must_have": true, "check!": true, "Kiosk::Check#ensure": true, "main.MustParse": true, "_fail": true,
		"checkout": false, "Cart.checkout": false, "failed": false, "raiseable": false, "pay": false, "": false, "requirements": false, "Cart.pay": false,
	} {
		if got := IsHelper(method); got != want {
			t.Errorf("IsHelper(%q) = %v", method, got)
		}
	}
}
