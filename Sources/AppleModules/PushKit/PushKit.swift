/// What there is of PushKit on Linux: its names, since nothing is pushed to a desktop.
@_exported public import ParleyViews
