// What the public names of this module are made of, so that an app imports `Parley` alone.
@_exported public import Basics
@_exported public import Media
@_exported public import RTC
