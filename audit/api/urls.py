from django.urls import path

from audit.api import records

urlpatterns = [
    path("audit/records/", records.Records.as_view(), name="audit-records"),
    path("audit/records/<int:number>/", records.OneRecord.as_view(), name="audit-record"),
    path("audit/records/<int:number>/proof/", records.Proof.as_view(), name="audit-record-proof"),
    path("audit/checkpoints/", records.Checkpoints.as_view(), name="audit-checkpoints"),
]
