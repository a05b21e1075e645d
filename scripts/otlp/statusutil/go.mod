module go.opentelemetry.io/collector/internal/statusutil

go 1.26.0
