/**
 * A small tracker with figures that can be computed by hand. Campaigns 1 to 6 each have a different type, 7 is inactive.
 * The visits of campaign 1 are on 10 June 2026 in New York (UTC-4).
 */
const linkKey = '0123456789abcdef0123456789abcdef';

export const setup: readonly string[] = [
  `INSERT INTO settings VALUES ('time_zone', 'America/New_York')`,
  `INSERT INTO offer_sources VALUES ('Harbor'), ('Summit & Co')`,
  `INSERT INTO traffic_sources VALUES (1, 'Search'), (2, 'Bare')`,
  `INSERT INTO traffic_source_tokens VALUES
     (1, 'Extra2', 'Ad group', 'group', '{group}'), (1, 'Extra1', 'Match type', 'match', '{matchtype}'),
     (1, 'Keyword', 'Keyword', 'kw', '{keyword}'), (1, 'AdValue', 'Ad', 'ad', '{creative}'),
     (1, 'Cost', 'Cost', 'cost', '{cpc}'), (1, 'ExternalID', 'Click', 'clid', '{clickid}')`,
  `INSERT INTO landing_pages VALUES (1, 'Quiz', 'https://lp.example.com/quiz', true, 'first'),
     (2, 'Old page', 'https://lp.example.com/old', false, '')`,
  `INSERT INTO offers VALUES (1, 'Gym', 'https://offers.example.com/gym', true, 'Harbor', 10.5, ''),
     (2, 'Old offer', 'https://offers.example.com/old', false, NULL, 0, '')`,
  `INSERT INTO campaigns VALUES
     (1, 'Sequence', 'Landing Page Sequence', '${linkKey}', 1, true, 2.5, 0.25, 3, true, false),
     (2, 'Paths', 'Multiple Path', '${linkKey}', 1, true, 0, 0.1, 0, false, true),
     (3, 'Mail', 'Email FollowUp', '${linkKey}', 2, true, 0, 0.01, 0, false, true),
     (4, 'Options', 'Multiple Option', '${linkKey}', 1, true, 0, 0.1, 0, false, true),
     (5, 'Direct', 'Direct Link and Landing Page', '${linkKey}', 2, true, 0, 0.1, 0, false, true),
     (6, 'Leads', 'Lead Capture', '${linkKey}', 1, true, 0, 0.1, 0, false, true),
     (7, 'Ended', 'Landing Page Sequence', '${linkKey}', 1, false, 0, 0.1, 0, false, true)`,
  `INSERT INTO campaign_pages VALUES
     (101, 1, 1, 'landing', 1, 'Quiz', 'https://lp.example.com/quiz', true, 60, 1, 1, NULL, 0),
     (102, 1, 2, 'landing', NULL, 'Video', 'https://lp.example.com/video', true, 40, 1, 1, NULL, 0),
     (103, 1, 3, 'landing', NULL, 'Second', 'https://lp.example.com/second', true, 100, 2, 1, NULL, 0),
     (104, 1, 4, 'offer', 1, 'Gym', 'https://offers.example.com/gym', true, 50, 1, 1, 'Harbor', 10),
     (105, 1, 5, 'offer', NULL, 'Yoga', 'https://offers.example.com/yoga', true, 50, 1, 2, NULL, 7.5),
     (106, 1, 6, 'landing', NULL, 'Unseen', 'https://lp.example.com/unseen', false, 12.5, 1, 1, NULL, 0),
     (201, 2, 1, 'landing', NULL, 'Path page', 'https://lp.example.com/path', true, 100, 1, 1, NULL, 0),
     (202, 2, 2, 'offer', NULL, 'Path offer', 'https://offers.example.com/path', true, 100, 1, 1, NULL, 0),
     (501, 5, 1, 'landing', NULL, 'Page', 'https://lp.example.com/page', true, 50, 1, 1, NULL, 0),
     (502, 5, 2, 'offer', NULL, 'Direct offer', 'https://offers.example.com/direct', true, 50, 1, 1, NULL, 0),
     (601, 6, 1, 'landing', NULL, 'Form', 'https://lp.example.com/form', true, 100, 1, 1, NULL, 0),
     (602, 6, 2, 'thankyou', NULL, 'Thanks', 'https://lp.example.com/thanks', true, 100, 1, 1, NULL, 0),
     (603, 6, 3, 'offer', NULL, 'Follow-up', 'https://offers.example.com/follow-up', true, 100, 1, 1, NULL, 0)`,
  `INSERT INTO quick_views VALUES
     (1, 'Keywords', ['Keyword'], ['Views', 'Clicks', 'CTR', 'Conversions', 'CR', 'Cost', 'Revenue'], true),
     (2, 'Ads by money', ['AdValue', 'Extra1'], ['EPC', 'PPV', 'Views'], false)`,
];

/** Visits, steps, subscribers and conversions, in UTC; New York is four hours behind. */
export const traffic: readonly string[] = [
  `SET TimeZone = 'UTC'`,
  `INSERT INTO visits (click_id, subid, campaign_id, "at", path, keyword, ad_value, extra1, cost, country, device, referrer)
   VALUES
     (1, 'aaaaaaaa_1_00000001', 1, '2026-06-10 12:00:00', 1, 'shoes', 'a1', 'exact', 0.50, 'US', 'Desktop', NULL),
     (2, 'bbbbbbbb_1_00000002', 1, '2026-06-10 13:00:00', 1, 'shoes', 'a1', 'broad', 0.50, 'US', 'Mobile', NULL),
     (3, 'cccccccc_1_00000003', 1, '2026-06-10 14:00:00', 1, 'boots', 'a2', 'exact', 0.25, 'DE', 'Mobile', NULL),
     (4, 'dddddddd_1_00000004', 1, '2026-06-10 15:00:00', 1, NULL, 'a2', NULL, 0.25, NULL, NULL, NULL),
     (5, 'eeeeeeee_1_00000005', 1, '2026-06-10 16:00:00', 1, '', NULL, NULL, 0.10, 'US', 'Desktop', 'https://ref.example.net/'),
     (6, 'ffffffff_1_00000006', 1, '2026-06-11 03:30:00', 1, 'shoes', 'a1', 'exact', 0.50, 'US', 'Desktop', NULL),
     (7, 'gggggggg_5_00000007', 5, '2026-06-10 12:00:00', 1, 'direct', NULL, NULL, 0.10, 'US', 'Desktop', NULL),
     (8, 'hhhhhhhh_5_00000008', 5, '2026-06-10 12:30:00', 1, 'direct', NULL, NULL, 0.10, 'US', 'Desktop', NULL),
     (9, 'iiiiiiii_6_00000009', 6, '2026-06-10 12:00:00', 1, 'lead', NULL, NULL, 0.10, 'US', 'Desktop', NULL),
     (10, 'jjjjjjjj_6_00000010', 6, '2026-06-10 12:30:00', 1, 'lead', NULL, NULL, 0.10, 'US', 'Desktop', NULL),
     (11, 'kkkkkkkk_6_00000011', 6, '2026-06-10 12:45:00', 1, 'lead', NULL, NULL, 0.10, 'US', 'Desktop', NULL)`,
  `INSERT INTO steps VALUES
     (1, 1, '2026-06-10 12:00:00', 101, NULL), (1, 1, '2026-06-10 12:01:00', 103, 101), (1, 1, '2026-06-10 12:02:00', 104, 103),
     (2, 1, '2026-06-10 13:00:00', 101, NULL), (2, 1, '2026-06-10 13:01:00', 103, 101), (2, 1, '2026-06-10 13:01:01', 103, 101),
     (3, 1, '2026-06-10 14:00:00', 102, NULL), (3, 1, '2026-06-10 14:01:00', 103, 102), (3, 1, '2026-06-10 14:02:00', 105, 103),
     (4, 1, '2026-06-10 15:00:00', 102, NULL),
     (5, 1, '2026-06-10 16:00:00', 101, NULL),
     (6, 1, '2026-06-11 03:30:00', 102, NULL), (6, 1, '2026-06-11 04:10:00', 103, 102), (6, 1, '2026-06-11 04:11:00', 104, 103),
     (7, 5, '2026-06-10 12:00:00', 502, NULL),
     (8, 5, '2026-06-10 12:30:00', 501, NULL),
     (9, 6, '2026-06-10 12:00:00', 601, NULL), (9, 6, '2026-06-10 12:01:00', 602, 601), (9, 6, '2026-06-10 12:02:00', 603, 602),
     (10, 6, '2026-06-10 12:30:00', 601, NULL), (10, 6, '2026-06-10 12:31:00', 602, 601),
     (11, 6, '2026-06-10 12:45:00', 601, NULL)`,
  `INSERT INTO subscribers VALUES (9, 6, '2026-06-10 12:01:00', 602), (10, 6, '2026-06-10 12:31:00', 602)`,
  `INSERT INTO conversions VALUES
     (1, 1, '2026-06-10 18:00:00', 104, 10.00, 'approved', 'T1', 'c1', NULL, NULL, NULL, 'c5'),
     (3, 1, '2026-06-10 19:00:00', 105, 7.50, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
     (6, 1, '2026-06-12 12:00:00', 104, 12.00, 'pending', 'T6', NULL, NULL, NULL, NULL, NULL),
     (7, 5, '2026-06-10 12:10:00', 502, 2.00, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
     (9, 6, '2026-06-10 12:20:00', 603, 5.00, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
];

/** The day in New York of the visits of campaign 1. */
export const fixtureDay = { start: '2026-06-10', end: '2026-06-10' };
