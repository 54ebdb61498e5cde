@_exported public import Media
@_exported public import RTC
