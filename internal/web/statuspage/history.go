package statuspage

import (
	"fmt"
	"net/http"
	"strconv"

	"sett/internal/sett"
)

// historyPage lists the incidents of a page by month, perPage at a time.
type historyPage struct {
	Shell
	Months       []month
	Newer, Older int // pages; 0 for none
}

// month is the incidents that started in one month.
type month struct {
	Name      string // such as "November 2026"
	Incidents []incidentBlock
}

// perPage is how many incidents a page of the history has.
const perPage = 25

func historyPart(v visit, r *http.Request) (*document, error) {
	page := 1
	if asked := r.URL.Query().Get("page"); asked != "" {
		n, err := strconv.Atoi(asked)
		if err != nil || n < 1 || n > 1 && (n-1)*perPage >= len(v.rendered.history) {
			return nil, sett.Errorf(sett.NotFound, "There is no such page of the history.")
		}
		page = n
	}
	return v.inLanguage(fmt.Sprintf("history %d", page), func(f *variant) (*document, error) {
		return f.page(nil, "history", f.historyPage(page))
	})
}

func (f *variant) historyPage(number int) historyPage {
	page := historyPage{Shell: f.shell(f.lang.Text("history")+" – "+f.rendered.view.Page.Name, "/history")}
	all := f.rendered.history
	from := min((number-1)*perPage, len(all))
	to := min(from+perPage, len(all))
	if number > 1 {
		page.Newer = number - 1
	}
	if to < len(all) {
		page.Older = number + 1
	}
	for _, i := range all[from:to] {
		name := f.lang.Month(i.ListedAt())
		if n := len(page.Months); n == 0 || page.Months[n-1].Name != name {
			page.Months = append(page.Months, month{Name: name})
		}
		last := &page.Months[len(page.Months)-1]
		last.Incidents = append(last.Incidents, f.block(i))
	}
	return page
}
