/** Where a result has the name of its campaign, beside what a model reads. */
export const campaignKey = 'tracker-mcp/campaign';
