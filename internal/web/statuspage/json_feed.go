package statuspage

import "strconv"

// jsonFeed is a JSON Feed 1.1 (jsonfeed.org/version/1.1).
type jsonFeed struct {
	Version string         `json:"version"`
	Title   string         `json:"title"`
	Home    string         `json:"home_page_url"`
	Feed    string         `json:"feed_url"`
	Lang    string         `json:"language"`
	Items   []jsonFeedItem `json:"items"`
}

type jsonFeedItem struct {
	ID        string   `json:"id"`
	URL       string   `json:"url"`
	Title     string   `json:"title"`
	Text      string   `json:"content_text"`
	Published string   `json:"date_published"`
	Modified  string   `json:"date_modified"`
	Tags      []string `json:"tags"`
}

func (f *variant) jsonFeedOf() jsonFeed {
	address := f.rendered.address(f.url)
	feed := jsonFeed{
		Version: "https://jsonfeed.org/version/1.1", Title: f.rendered.view.Page.Name, Home: address, Feed: address + "/feed.json", Lang: string(f.lang),
		Items: []jsonFeedItem{},
	}
	for _, i := range f.feedIncidents() {
		feed.Items = append(feed.Items, jsonFeedItem{
			ID: f.tag("/incidents/" + strconv.FormatInt(i.ID, 10)), URL: address + incidentPath(i.ID), Title: i.Name, Text: f.feedText(i),
			Published: stamp(i.CreatedAt), Modified: stamp(changed(i)), Tags: []string{string(i.Kind), string(i.Status)},
		})
	}
	return feed
}
