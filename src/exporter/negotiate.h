/* Content negotiation of HTTP (RFC 9110, 12.4..12.5). Pure. */
#pragma once

#include <stdbool.h>

enum el_media { EL_MEDIA_TEXT_004 = 0, EL_MEDIA_OPENMETRICS_001, EL_MEDIA_OPENMETRICS_100, EL_MEDIA_COUNT };

/* The exposition to send for an Accept header (NULL = none). OpenMetrics only when it is named; on equal quality the
 * newer wins; text 0.0.4 when nothing fits: a scrape that gets something beats one that gets 406. */
enum el_media el_negotiate_media(const char *accept);

/* True when an Accept-Encoding header (NULL = none) takes gzip. */
bool el_negotiate_gzip(const char *accept_encoding);

/* True when an If-None-Match header (NULL = none) says that the client has this. */
bool el_negotiate_etag(const char *if_none_match, const char *etag);
