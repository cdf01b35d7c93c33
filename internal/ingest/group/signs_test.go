package group

import "testing"

func TestSigns(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"no price": "", "": "", "order 4711 is gone": "", "no customer 'Ann Smith'": "",
		"connect ECONNREFUSED 10.0.0.7:5432": "ECONNREFUSED", "HTTP 503 from the bank": "503", `403 "Forbidden"`: "403", "404 (Not Found)": "404",
		"(1213, 'Deadlock found')": "1213", "SQLSTATE[HY000] [2002] Connection refused": "HY000 2002", "ORA-12541: TNS:no listener": "12541",
		"UNAVAILABLE: io exception": "UNAVAILABLE", "DEADLINE_EXCEEDED: after 1.2s": "DEADLINE_EXCEEDED", "ERROR: relation is gone": "",
		"rpc error: code = Unavailable desc = closing": "Unavailable", "net::ERR_CONNECTION_RESET": "ERR_CONNECTION_RESET",
		"An error occurred (ThrottlingException) when calling PutItem": "ThrottlingException", "died with SIGKILL": "SIGKILL",
		"Firebase: Error (auth/popup-closed).": "auth/popup-closed", "PlatformException(sign_in_failed, no, null)": "PlatformException sign_in_failed", "charge failed: card_declined": "card_declined",
		"no match of value: {:error, :nxdomain}": "", "key not found: :sku": "",
		"Undefined variable $total": "$total", "Call to a member function price() on null": "price", "List() (of class kiosk.Cart)": "",
		"No query results for model [App\\Models\\Order] 17": `App\Models\Order`, "Missing template shop/terms with {}": "shop/terms",
		"terms.html": "terms.html", "'sku'": "", "undefined method 'total' for nil": "'total'", "Unknown column 'price' in 'field list'": "'price'",
		"No enum constant com.kiosk.Size.XL": "", "C:\\kiosk\\a.csv": "",
	} {
		if got := signsOf(plainMessage(message), true); got != want {
			t.Errorf("the signs of %q are %q, want %q", message, got, want)
		}
	}
	if got := signsOf(plainMessage("undefined method 'total' for nil: E42, ENOENT"), false); got != "ENOENT" {
		t.Errorf("without names, the signs are %q", got)
	}
}
