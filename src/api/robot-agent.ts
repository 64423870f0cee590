/** What robots say in their user agent. */
export const robotAgent =
  /headless|phantom|puppeteer|playwright|selenium|bot\b|crawl|spider|python|curl|wget|scrapy|httpclient/i;
